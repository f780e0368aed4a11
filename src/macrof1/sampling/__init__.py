"""How sure: what resampling draws from, derivatives and intervals."""

"""How certain a score is: resampling, derivatives and intervals."""

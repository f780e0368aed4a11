"""What published figures prove."""

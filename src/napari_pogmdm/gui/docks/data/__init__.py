"""The Data dock."""

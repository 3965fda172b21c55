"""The Compare dock."""

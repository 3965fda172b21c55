"""The Mask dock."""

"""The Model dock."""

"""The Denoise dock."""

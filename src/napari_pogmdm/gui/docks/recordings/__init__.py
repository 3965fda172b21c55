"""The Recordings dock."""

"""The Sampler dock."""

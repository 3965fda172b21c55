"""Priors that are networks: a denoiser that knows the noise level gives a score by Tweedie's formula."""

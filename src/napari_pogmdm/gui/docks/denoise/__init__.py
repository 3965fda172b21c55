"""Noise, score and Tweedie estimate of any image; samples of the prior."""

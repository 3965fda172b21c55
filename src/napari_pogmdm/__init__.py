"""Learned MRI reconstruction with product-of-Gaussian-mixture diffusion models."""

__version__ = "0.1.0"

"""Learned MRI reconstruction with product-of-Gaussian-mixture diffusion models.

What stands in ``__init__.pyi`` can be imported from here; it is loaded when it is first used.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Learned MRI reconstruction with product-of-Gaussian-mixture diffusion models.

What stands in ``__init__.pyi`` can be imported from here; it is loaded when it is first used.
"""

import os
import sys

import lazy_loader

__version__ = "0.2.0"

# How long the threads of torch (GNU OpenMP) wait for each other awake. Their own choice of 300 000 turns is a little
# faster on an idle machine and, where other programs need the cores, up to fifteen times slower. Torch reads it when it
# is loaded.
if "torch" not in sys.modules and "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

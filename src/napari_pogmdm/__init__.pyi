from .data.acquisition import Acquisition as Acquisition
from .data.simulate import phantom_scan as phantom_scan
from .data.simulate import simulate_scan as simulate_scan
from .data.sources import open_scan as open_scan
from .errors import InputError as InputError
from .physics.mask import Mask as Mask
from .physics.mask_kinds import make_mask as make_mask
from .recon.measurement import Measurement as Measurement
from .recon.measurement import reference_image as reference_image
from .recon.measurement import undersample as undersample
from .recon.metrics import compare as compare
from .recon.reconstruct import Reconstruction as Reconstruction
from .recon.reconstruct import reconstruct as reconstruct

__version__: str

from .data.acquisition import Acquisition as Acquisition
from .data.simulate import phantom_scan as phantom_scan
from .data.simulate import simulate_scan as simulate_scan
from .data.sources import open_scan as open_scan
from .errors import InputError as InputError
from .physics.mask import Mask as Mask
from .physics.mask_kinds import make_mask as make_mask
from .prior.model import Prior as Prior
from .prior.weights import list_models as list_models
from .prior.weights import load_prior as load_prior
from .recon.measurement import Measurement as Measurement
from .recon.measurement import reference_image as reference_image
from .recon.measurement import undersample as undersample
from .recon.metrics import compare as compare
from .recon.presets import preset as preset
from .recon.reconstruct import Reconstruction as Reconstruction
from .recon.reconstruct import reconstruct as reconstruct
from .recon.sample import sample as sample
from .recon.sampler import Sampler as Sampler
from .recon.sampler import SamplerState as SamplerState
from .recon.settings import SamplerSettings as SamplerSettings

__version__: str

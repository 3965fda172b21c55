"""How the scanner sees an image, y = M F (s x) + n: transforms, coils, noise."""

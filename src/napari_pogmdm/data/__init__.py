"""A scan on disk, or a made-up one, as an `Acquisition`."""

"""Methods without a learned prior: zero-filled, CG-SENSE, TV, joint TV."""

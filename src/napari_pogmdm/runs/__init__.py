"""A run that can be stepped, rewound, recorded and repeated; no Qt."""

"""Several methods on the same measurement, in a table and a grid."""

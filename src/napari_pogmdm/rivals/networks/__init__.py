"""Architectures by their published names of layers, so that published weights fit."""

"""Readers and writers of the layouts of HEB, PhotoTourism and ETH3D."""

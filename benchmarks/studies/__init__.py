"""One question about this package a file: is it honest, why these defaults."""

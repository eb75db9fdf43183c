"""From labelled pairs to a prior on the noise and a half-width."""

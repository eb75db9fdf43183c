"""Pairs of images with known truth: generated, real, matched anew, and rendered.

From a name to a pair::

    pair             the record that all of them return
    splits           which pairs there are, by split, problem and regime
    synthetic        regimes, drawn from seeds
    clouds, surfaces two kinds of scenes that a regime is drawn from
    views            two cameras, and exact matches of a cloud or a plane
    real, rematching matches of photographs, stored or made anew
    maps             maps of images and of clouds of points
    noisy_pair       known noise among matches from anywhere, for studies
    room             a rendered room, for the paper's stand-ins
"""

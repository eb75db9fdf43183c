"""The paper's experiments, Profile and Sensitivity, on HEB, PhotoTourism and ETH3D.

From a file to a figure::

    heb, phototourism, eth3d     readers (and writers) of the three layouts
    pairs                        the record that all of them return
    pool, rotations              models of minimal samples and their errors
    envelope, tables             all scores of a pool at all hyper-parameters
    record, store, schedule      one result per pair, on disk, on one machine or many
    profile, sensitivity         what the results say
    figures, page, findings      the same for people
"""

"""The paper's experiments, Profile and Sensitivity, on HEB, PhotoTourism and ETH3D.

From a file to a figure::

    datasets                     readers (and writers) of the three layouts
    pool, rotations              models of minimal samples and their errors
    envelope, tables             all scores of a pool at all hyper-parameters
    record, evaluation           one result per pair
    record_files, schedule       on disk, on one machine or many
    profile, sensitivity         what the results say
    figures, page, findings      the same for people
"""

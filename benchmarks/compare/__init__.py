"""The comparison: every method on the same pairs, and what the rows say.

From a pair to a table::

    run              methods over pairs, to rows
    rows             what a row holds
    archive, remake  the rows that are committed
    board            rows as arrays, aligned pair by pair
    targets          what the comparison must show
    tables, report   markdown
    plots            figures
    quick            this package on validation problems, beside stored peers
"""

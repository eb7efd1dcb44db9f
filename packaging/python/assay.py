"""`python -m assay`: the same as `python -m assay_conformance`.

This is a module, not a package: where the distribution `assay` of another project is installed, too, its package comes first, and
neither overwrites the other.
"""

from assay_conformance.__main__ import main

if __name__ == "__main__":
    main()

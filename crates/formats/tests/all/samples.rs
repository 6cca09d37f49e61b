//! Small files of every format and storage.

/// What a file is, and its text.
pub(crate) const FILES: &[(&str, &str)] = &[
    // one contact: W = diag(2, 1, 1), q = (−1, 0.5, 0), μ = 0.3
    (
        "fc3d",
        "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n",
    ),
    (
        "fc3d",
        "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n0\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n0\n",
    ),
    // an explicit zero block, an empty last block row, room for more entries
    (
        "fc2d",
        "2\n3\n1\n6\n6\n3\n3\n3\n2 4 6\n2 4 6\n3\n3\n0 2 3\n0 1 1\n0\n1 0\n0 1\n1\n0 0\n0 0\n2\n3 4\n5 6\n-1 0 -1 0 -1 0\n.1 .2 .3\n",
    ),
    (
        "fc2d",
        "2\n1\n2\n2\n2\n1\nCSparse Version 3.2.0, Sept 12, 2017.\ntriplet: 2-by-2, nzmax: 7 nnz: 3\n0 0 : 2\n0 0 : 0\n1 1 : 1e-3\n-1 0\n0.5\n",
    ),
    (
        "fc2d",
        "2\n1\n2\n2\n2\n4\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 2\n0 1 : 0.5\n1 1 : 1\n-1 0\n0.5\n",
    ),
    (
        "fc2d",
        "2\n1\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 3 nnz: 2, 1-norm: 3.5\ncol 0 : locations 0 to -1\ncol 1 : locations 0 to 1\n1 : 3\n0 : .5\n-1 0\n0.5\n",
    ),
    (
        "fc2d",
        "2\n1\n2\n2\n2\n3\nCSparse\ncsr: 2-by-2, nzmax: 2 nnz: 2, 1-norm: 3\nrow 0 : locations 0 to 0\n1 : .5\nrow 1 : locations 1 to 1\n1 : 3\n-1 0\n0.5\n",
    ),
    // no contact at all
    (
        "gfc2d",
        "2\n0\n2\n2\n2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 2\n1 1 : 2\n2\n2\n0\n1\nCSparse\ntriplet: 2-by-0, nzmax: 1 nnz: 0\n1 2\n\n\n",
    ),
    (
        "gfc3d",
        "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 4 0\n0 0 8\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n2 4 8\n0 0 -3\n0.1\n0\n",
    ),
    (
        "rfc3d",
        "5\n1\n0\n5\n5\n5 5\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 9 0\n0 0 0 0 9\n-1 .5 0 0 1\n0.3\n0.01\n",
    ),
    // the dimension of space, and the number of all rows, where others print five
    (
        "rfc3d",
        "3\n1\n2\n5\n5\n1\nCSparse\ntriplet: 5-by-5, nzmax: 5 nnz: 5\n0 0 : 1\n1 1 : 1\n2 2 : 1\n3 3 : 9\n4 4 : 9\n-1 .5 0 0 1\n0.3\n0.01\n",
    ),
    (
        "fc2d",
        "4\n2\n0\n4\n4\n4 4\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n-1 0 -1 0\n.3 .4\n",
    ),
    (
        "grfc3d",
        "5\n1\n0\n1\n1\n1 1\n2\n0\n1\n5\n1 5\n1\n2\n3\n4\n5\n-4\n0 0 0 0 1\n0.3\n0.01\n",
    ),
    ("lcp", "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n# a remark\n"),
    ("relay", "1\n0\n1\n1\n1 1\n2\n-1\n-inf 0.5\n"),
    (
        "mlcp",
        "1 0\n1 1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 -1\n-1 1\n1 -1\n",
    ),
    (
        "mlcp",
        "1 1\n1 1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 -1\n-2 3\n1 -1\n1 3 -2 -1 1 -1 0.5 0\n",
    ),
    ("mlcp", "0 1\n1 2\n1\n2 3\n4 5\n6 7\n8\n9\n10\n11 12\n"),
    // three equations of two unknowns
    (
        "mlcp",
        "1 1\n1 1\n0 1 2\n0 1\n0\n3\n2\n3 2\n1 -1\n1 -1\n-1 1\n0 1 1\n1 -1 1 0 -1\n",
    ),
];

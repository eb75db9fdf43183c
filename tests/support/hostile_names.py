"""Names of images that would break out of a careless page."""

HOSTILE = (
    "</script><script>window.broken = 1</script>",
    '"><img src=x onerror="window.broken = 1">',
    "<!-- <script>",
    "a' \" ` ${window.broken = 1} \\u003c \\",
    "line\u2028separator\u2029",
    b"not \xff\xfe UTF-8.jpg".decode("utf-8", "surrogateescape"),
    "lone \ud800 surrogate",
    "]]>&lt;b&gt;<title>",
)

"""Makes the documentation as a site: the pages of ``docs/``, and those made from the project.

``python -m website FOLDER`` builds it. ``website.tree`` says which pages there are and where; the
generator (MkDocs with the theme Material) turns them into HTML by ``mkdocs.yml``.

That generator gets fixes only. Its successor, Zensical, reads the same file: the pages and settings
that ``--pages`` writes become the same site by ``zensical build``. So the site uses no plugins but
``search`` and ``offline``, and no templates of its own for the theme: ``templates/`` has Markdown.
"""

"""Makes the documentation as a site: the pages of ``docs/``, and those made from the project.

``python -m website FOLDER`` builds it. ``website.tree`` says which pages there are and where; the
generator (MkDocs with the theme Material) turns them into HTML by ``mkdocs.yml``.
"""

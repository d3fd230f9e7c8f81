"""Reports of results: timelines, an HTML page, JUnit XML, sequence diagrams."""

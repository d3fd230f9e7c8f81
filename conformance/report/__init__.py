"""What people read: timelines, pages, JUnit XML."""

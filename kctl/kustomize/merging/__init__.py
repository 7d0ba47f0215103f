"""Strategic merge patches (`strategic_merge`), and which lists they merge (`schemas`)."""

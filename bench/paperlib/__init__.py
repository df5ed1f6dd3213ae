"""The parts of bench/paper.py: what is measured (cells), how (measure and what it calls), and what is drawn (figures, tables)."""

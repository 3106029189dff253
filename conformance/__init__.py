"""Test suites of other libraries, run through eqsat: what fails, and what is known to."""

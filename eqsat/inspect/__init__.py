"""Reports, explanations, comparisons and profiles of rules; as text, pictures and pages."""

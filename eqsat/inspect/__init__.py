"""What users look at: reports, explanations, comparisons, profiles of rules; as text, pictures and pages."""

"""What benchmarks share: times, memory, and measurements in a process of their own."""

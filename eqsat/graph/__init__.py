"""What a program is: variables, the ops applied to them, and the types that constrain them."""

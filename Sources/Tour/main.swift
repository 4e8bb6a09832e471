print("The tour starts here.")

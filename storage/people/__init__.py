"""Who is who among the people of a space, as it is read?"""

"""A small web shop: a FastAPI application to start a project from.

Layout
------
``main``      puts the application together: lifespan, middleware, routers
``settings``  everything that the environment can change
``db``        SQLite: connections, transactions, and the two dependencies that hand them out
``schema``    the tables, created and seeded on first start
``models``    what goes in and out as JSON
``security``  basic authentication for the admin's routes
``feed``      new orders, told to whoever listens
``routers/``  one module for each part of the API
"""

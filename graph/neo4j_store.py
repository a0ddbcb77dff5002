class Neo4jStore:
    pass

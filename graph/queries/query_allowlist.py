"""What is known to be harmless in a statement, and the words that never are: lists, no logic.

Everything that does not stand here is refused, also what a later version of an engine brings.
Neo4j: operators that read, of 5.26 and of 2026.07. kglite: operations that read, of 0.21.
"""

from __future__ import annotations

#: The procedures that a statement may call.
PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.vector.queryNodes",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
    }
)
#: Functions with a namespace are plug-ins (some call out to the network), except these.
NAMESPACES = frozenset(
    {
        "date",
        "datetime",
        "duration",
        "localdatetime",
        "localtime",
        "point",
        "time",
        "vector.similarity",
    }
)

_STARTS = """
ALTER CREATE CYPHER DEALLOCATE DELETE DENY DETACH DROP DRYRUN ENABLE FOREACH GRANT INSERT LOAD
MERGE NODETACH PROFILE REALLOCATE REMOVE RENAME REVOKE SET SHOW START STOP TERMINATE USE
"""

_NEO4J = """
AllNodesScan Anti AntiConditionalApply AntiSemiApply Apply Argument AssertSameNode
AssertSameRelationship BidirectionalRepeat CacheProperties CartesianProduct ConditionalApply
DirectedAllRelationshipsScan DirectedRelationshipByElementIdSeek DirectedRelationshipByIdSeek
DirectedRelationshipFulltextIndexSearch DirectedRelationshipIndexContainsScan
DirectedRelationshipIndexEndsWithScan DirectedRelationshipIndexScan
DirectedRelationshipIndexSeek DirectedRelationshipIndexSeekByRange DirectedRelationshipTypeScan
DirectedRelationshipUniqueIndexSeek DirectedRelationshipVectorIndexSearch
DirectedUnionRelationshipTypesScan Distinct DynamicDirectedRelationshipTypeLookup
DynamicLabelNodeLookup DynamicUndirectedRelationshipTypeLookup Eager EagerAggregation
EmptyResult EmptyRow ExhaustiveLimit Expand Filter IntersectionNodeByLabelsScan LetAntiSemiApply
LetSelectOrAntiSemiApply LetSelectOrSemiApply LetSemiApply Limit MultiNodeIndexSeek
NodeByElementIdSeek NodeByIdSeek NodeByLabelScan NodeCountFromCountStore NodeFulltextIndexSearch
NodeHashJoin NodeIndexContainsScan NodeIndexEndsWithScan NodeIndexScan NodeIndexSeek
NodeIndexSeekByRange NodeLeftOuterHashJoin NodeRightOuterHashJoin NodeUniqueIndexSeek
NodeUniqueIndexSeekByRange NodeVectorIndexSearch NonFuseable NullifyMetadata Optional
OptionalExpand OrderedAggregation OrderedDistinct OrderedUnion PartialSort PartialTop
PartitionedAllNodesScan PartitionedDirectedAllRelationshipsScan
PartitionedDirectedRelationshipIndexScan PartitionedDirectedRelationshipIndexSeek
PartitionedDirectedRelationshipIndexSeekByRange PartitionedDirectedRelationshipTypeScan
PartitionedDirectedUnionRelationshipTypesScan PartitionedIntersectionNodeByLabelsScan
PartitionedNodeByLabelScan PartitionedNodeIndexScan PartitionedNodeIndexSeek
PartitionedNodeIndexSeekByRange PartitionedSubtractionNodeByLabelsScan
PartitionedUndirectedAllRelationshipsScan PartitionedUndirectedRelationshipIndexScan
PartitionedUndirectedRelationshipIndexSeek PartitionedUndirectedRelationshipIndexSeekByRange
PartitionedUndirectedRelationshipTypeScan PartitionedUndirectedUnionRelationshipTypesScan
PartitionedUnionNodeByLabelsScan PartitionedUnwind PathPropagatingBFS PreserveOrder
ProcedureCall ProduceResults ProjectEndpoints Projection RelationshipCountFromCountStore
RemoteBatchProperties RemoteBatchPropertiesWithFilter Repeat RollUpApply SelectOrAntiSemiApply
SelectOrSemiApply SemiApply ShortestPath Skip Sort StatefulShortestPath
SubtractionNodeByLabelsScan Top TriadicBuild TriadicFilter TriadicSelection
UndirectedAllRelationshipsScan UndirectedRelationshipByElementIdSeek
UndirectedRelationshipByIdSeek UndirectedRelationshipFulltextIndexSearch
UndirectedRelationshipIndexContainsScan UndirectedRelationshipIndexEndsWithScan
UndirectedRelationshipIndexScan UndirectedRelationshipIndexSeek
UndirectedRelationshipIndexSeekByRange UndirectedRelationshipTypeScan
UndirectedRelationshipUniqueIndexSeek UndirectedRelationshipVectorIndexSearch
UndirectedUnionRelationshipTypesScan Union UnionNodeByLabelsScan Unwind ValueHashJoin
ValueMergeJoin VarLengthExpand
"""

_KGLITE = """
Call CallSubquery ClosureProbe Expand Filter Finish FusedChainDistinctCount
FusedChainGroupedPathCount FusedChainPathCount FusedCountAll FusedCountAllEdges
FusedCountAnchoredEdges FusedCountByType FusedCountEdgesByType FusedCountLabelUnion
FusedCountTypedEdge FusedCountTypedNode FusedMatchReturnAggregate FusedMatchWithAggregate
FusedNodeScanAggregate FusedNodeScanTopK FusedOptionalMatchAggregate FusedOrderByTopK
FusedTextBm25TopK FusedVectorScoreTopK Limit Match OptimizerPass OptionalMatch OrderBy Return
Skip Union Unwind Where With
"""

#: Words that start what no query needs: writing, administration, another database, measuring.
REFUSED_STARTS = frozenset(_STARTS.split())
#: Operators of a Neo4j plan, without what stands in brackets.
NEO4J_OPERATORS = frozenset(_NEO4J.split())
#: Operations of a kglite plan, by their first word.
KGLITE_OPERATIONS = frozenset(_KGLITE.split())

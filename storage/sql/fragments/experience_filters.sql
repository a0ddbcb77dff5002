-- What filters leave: of `experience x`, its payload `p`, and its held event `h`, if any.
{include fragments/listed_filters}
  AND {include fragments/metadata_conditions}

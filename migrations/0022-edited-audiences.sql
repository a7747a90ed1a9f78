-- Named audiences can be edited; a notification keeps the filters with which it was planned
-- (docs/decisions/0052-edited-audiences.md).

alter table audiences
  add first_filters jsonb; -- before the first edit; null: it was never edited

alter table notifications
  -- The filters of an edited audience as planning or a claim used them. Null: those before the first edit, or, if it is not
  -- planned yet, those that the audience has when it is.
  add planned_filters jsonb;

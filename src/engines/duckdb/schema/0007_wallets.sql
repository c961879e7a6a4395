-- What an app says about wallets, beside what their events say. Of each property of a wallet the row with the latest
-- `changed_ms` is kept, whatever came last; `is_deleted` marks one that was unset, and is kept so that an older value
-- that comes later does not return. The primary key costs about 100 bytes a row, and there are few rows for each wallet.
CREATE TABLE wallet_properties
(
    project_id VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    is_deleted UTINYINT NOT NULL,
    changed_ms UBIGINT NOT NULL,
    PRIMARY KEY (project_id, address, name)
);

-- The same for labels: a label is a wallet, a tag and a chain ('': none).
CREATE TABLE wallet_labels
(
    project_id VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    tag_id VARCHAR NOT NULL,
    chain_id VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    is_deleted UTINYINT NOT NULL,
    changed_ms UBIGINT NOT NULL,
    PRIMARY KEY (project_id, address, tag_id, chain_id)
);

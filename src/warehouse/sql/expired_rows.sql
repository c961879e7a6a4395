-- Rows of projects that are over their time. The second line says what the third does, and the engine can skip parts by it.
project_id IN {projects:Array(String)}
    AND /*day*/ < {before:Date}
    AND /*day*/ < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0))

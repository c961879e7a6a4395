-- Rows of projects that are over their time.
project_id IN {projects:Array(String)}
    AND /*day*/ < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0))

"""Many sequences: judged in several processes or on a cluster, told in rows, summed up in reports."""

#!/bin/bash
# A job that continues until its program is done, however often Slurm's time limit ends it: submit it once, by
#   sbatch job.sh
#SBATCH --job-name=app
#SBATCH --nodes=5
#SBATCH --time=04:00:00
#SBATCH --no-kill                 # a lost node is FMI's business
#SBATCH --requeue                 # it may be started again, by the last line
#SBATCH --open-mode=append        # and the output of before is kept
#SBATCH --output=app.out

# A directory that all nodes share and that outlives the job, one for each program and set of arguments.
files=${APP_FILES:-$PWD/app-files}

fmirun -n 4 --spares 1 --l2-dir "$files" --l2-every auto --restart-from auto --stop-before 120 "${APP:-app.jar}"
status=$?

# 75: stopped at a checkpoint on files, from which the next run restarts. Anything else is an end.
[ $status = 75 ] && scontrol requeue "$SLURM_JOB_ID"
exit $status

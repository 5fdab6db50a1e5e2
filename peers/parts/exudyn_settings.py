"""What every motion by Exudyn has in common: equal steps, nothing written, nothing said."""

import exudyn as exu


def settings(to, steps):
    s = exu.SimulationSettings()
    s.timeIntegration.endTime = to
    s.timeIntegration.numberOfSteps = steps
    s.timeIntegration.verboseMode = 0
    s.solutionSettings.writeSolutionToFile = False
    s.solutionSettings.sensorsWritePeriod = to
    s.solutionSettings.solutionWritePeriod = to
    s.displayStatistics = False
    s.displayComputationTime = False
    return s
